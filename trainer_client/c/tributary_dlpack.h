/* The structures of DLPack 1.0 that tensors are exported in, for programs
 * without DLPack's own header: names, layout and values are those of its
 * specification (https://dmlc.github.io/dlpack/latest/c_api.html). Include
 * that header before this one where both are used. */
#ifndef TRIBUTARY_TRAINER_CLIENT_C_TRIBUTARY_DLPACK_H_
#define TRIBUTARY_TRAINER_CLIENT_C_TRIBUTARY_DLPACK_H_

#ifndef DLPACK_DLPACK_H_ /* the guard of DLPack's header */
#define DLPACK_DLPACK_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 0

/* Nobody may write to the tensor. */
#define DLPACK_FLAG_BITMASK_READ_ONLY (UINT64_C(1) << 0)

/* Two structures with the same major version have the same layout. */
typedef struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

/* Of the devices there are, the one that batches are on. */
typedef enum DLDeviceType { kDLCPU = 1 } DLDeviceType;

typedef struct DLDevice {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum DLDataTypeCode {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6
} DLDataTypeCode;

typedef struct DLDataType {
  uint8_t code;   /* a DLDataTypeCode */
  uint8_t bits;   /* of a number */
  uint16_t lanes; /* numbers of an element; 1 */
} DLDataType;

typedef struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides; /* in elements */
  uint64_t byte_offset;
} DLTensor;

/* The form before version 1. */
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DLPACK_DLPACK_H_ */

#endif /* TRIBUTARY_TRAINER_CLIENT_C_TRIBUTARY_DLPACK_H_ */
