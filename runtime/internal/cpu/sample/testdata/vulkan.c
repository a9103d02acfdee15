// Runs the jobs on its standard input on the first Vulkan device, and writes their results to its standard output.
//
// A job is a struct job, a path of SPIR-V, the bytes of an image, level by level, and for each thread of a compute
// shader two vec4. The shader has the image at binding 0, with a sampler or as a storage image, the vec4 at binding 1,
// and at binding 2 a uvec4 for each thread. The result is a word that is 0 if the device cannot do it, and else the
// uvec4 and, of a storage image, its bytes.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

struct job {
	uint32_t image_type, view_type, format, width, height, depth, layers, levels, texel; // texel: its bytes
	uint32_t storage, depth_aspect;
	uint32_t min, mag, mip, u, v, w, border, compare, compare_op, pixel;
	float min_lod, max_lod;
	uint32_t path, data, threads; // bytes, bytes, number
};

static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;

#define CHECK(call) check(call, #call)
static void check(VkResult r, const char *what) {
	if (r != VK_SUCCESS) {
		fprintf(stderr, "%s: %d\n", what, r);
		exit(1);
	}
}

static void input(void *to, size_t size) {
	if (fread(to, 1, size, stdin) != size) {
		fprintf(stderr, "input ends early\n");
		exit(1);
	}
}

static uint32_t memory_type(uint32_t bits, VkMemoryPropertyFlags want) {
	VkPhysicalDeviceMemoryProperties p;
	vkGetPhysicalDeviceMemoryProperties(physical, &p);
	for (uint32_t i = 0; i < p.memoryTypeCount; i++)
		if (bits >> i & 1 && (p.memoryTypes[i].propertyFlags & want) == want)
			return i;
	fprintf(stderr, "no memory\n");
	exit(1);
}

struct buffer {
	VkBuffer buffer;
	VkDeviceMemory memory;
	void *bytes;
};

static struct buffer new_buffer(size_t size) {
	struct buffer b;
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = size,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
			 VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	CHECK(vkCreateBuffer(device, &info, NULL, &b.buffer));
	VkMemoryRequirements need;
	vkGetBufferMemoryRequirements(device, b.buffer, &need);
	VkMemoryAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = need.size,
		.memoryTypeIndex = memory_type(need.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
									VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
	};
	CHECK(vkAllocateMemory(device, &allocate, NULL, &b.memory));
	CHECK(vkBindBufferMemory(device, b.buffer, b.memory, 0));
	CHECK(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.bytes));
	return b;
}

static void free_buffer(struct buffer b) {
	vkDestroyBuffer(device, b.buffer, NULL);
	vkFreeMemory(device, b.memory, NULL);
}

static void open_device(void) {
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
	VkInstance instance;
	CHECK(vkCreateInstance(&info, NULL, &instance));
	uint32_t n = 1;
	if (vkEnumeratePhysicalDevices(instance, &n, &physical) < 0 || n == 0) {
		fprintf(stderr, "no Vulkan device\n");
		exit(1);
	}
	VkPhysicalDeviceProperties p;
	vkGetPhysicalDeviceProperties(physical, &p);
	fprintf(stderr, "%s\n", p.deviceName);
	float priority = 1;
	VkDeviceQueueCreateInfo q = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkPhysicalDeviceVulkan12Features v12 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .samplerMirrorClampToEdge = VK_TRUE};
	VkPhysicalDeviceFeatures features = {
		.imageCubeArray = VK_TRUE,
		.shaderImageGatherExtended = VK_TRUE,
		.shaderStorageImageWriteWithoutFormat = VK_TRUE,
	};
	VkDeviceCreateInfo create = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = &v12,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &q,
		.pEnabledFeatures = &features,
	};
	CHECK(vkCreateDevice(physical, &create, NULL, &device));
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkCommandPoolCreateInfo pi = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	CHECK(vkCreateCommandPool(device, &pi, NULL, &pool));
}

static uint32_t at_least_1(uint32_t n) { return n ? n : 1; }

// Regions of the levels in a buffer, and the bytes of all.
static size_t regions(const struct job *j, VkBufferImageCopy *r) {
	size_t offset = 0;
	for (uint32_t n = 0; n < j->levels; n++) {
		VkExtent3D e = {at_least_1(j->width >> n), at_least_1(j->height >> n), at_least_1(j->depth >> n)};
		r[n] = (VkBufferImageCopy){
			.bufferOffset = offset,
			.imageSubresource = {j->depth_aspect ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, n, 0,
					     j->layers},
			.imageExtent = e,
		};
		offset += (size_t)e.width * e.height * e.depth * j->layers * j->texel;
	}
	return offset;
}

static void barrier(VkCommandBuffer c, VkImage image, const struct job *j, VkImageLayout from, VkImageLayout to) {
	VkImageMemoryBarrier b = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = from,
		.newLayout = to,
		.image = image,
		.subresourceRange = {j->depth_aspect ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, 0, j->levels, 0,
				     j->layers},
	};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
			     NULL, 1, &b);
}

static VkShaderModule load_shader(const char *path) {
	static uint32_t code[1 << 16];
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(1);
	}
	size_t size = fread(code, 1, sizeof code, f);
	fclose(f);
	VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
	VkShaderModule m;
	CHECK(vkCreateShaderModule(device, &info, NULL, &m));
	return m;
}

static int can(const struct job *j) {
	VkFormatProperties p;
	vkGetPhysicalDeviceFormatProperties(physical, j->format, &p);
	VkFormatFeatureFlags want = j->storage ? VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT : VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
	if (!j->storage && (j->min || j->mag) && !j->compare)
		want |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
	return (p.optimalTilingFeatures & want) == want;
}

static void run(const struct job *j, const char *path, const void *data, const void *threads) {
	struct buffer staging = new_buffer(j->data), in = new_buffer(32 * (size_t)j->threads),
		      out = new_buffer(16 * (size_t)j->threads);
	memcpy(staging.bytes, data, j->data);
	memcpy(in.bytes, threads, 32 * (size_t)j->threads);

	VkImageUsageFlags usage = j->storage ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
	int cube = j->view_type == VK_IMAGE_VIEW_TYPE_CUBE || j->view_type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
	VkImageCreateInfo ii = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
		.imageType = j->image_type,
		.format = j->format,
		.extent = {j->width, j->height, j->depth},
		.mipLevels = j->levels,
		.arrayLayers = j->layers,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	VkImage image;
	CHECK(vkCreateImage(device, &ii, NULL, &image));
	VkMemoryRequirements need;
	vkGetImageMemoryRequirements(device, image, &need);
	VkMemoryAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = need.size,
		.memoryTypeIndex = memory_type(need.memoryTypeBits, 0),
	};
	VkDeviceMemory memory;
	CHECK(vkAllocateMemory(device, &allocate, NULL, &memory));
	CHECK(vkBindImageMemory(device, image, memory, 0));
	VkImageViewCreateInfo vi = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = image,
		.viewType = j->view_type,
		.format = j->format,
		.subresourceRange = {j->depth_aspect ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, 0, j->levels, 0,
				     j->layers},
	};
	VkImageView view;
	CHECK(vkCreateImageView(device, &vi, NULL, &view));
	VkSamplerCreateInfo si = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
		.magFilter = j->mag,
		.minFilter = j->min,
		.mipmapMode = j->mip,
		.addressModeU = j->u,
		.addressModeV = j->v,
		.addressModeW = j->w,
		.compareEnable = j->compare,
		.compareOp = j->compare_op,
		.minLod = j->min_lod,
		.maxLod = j->max_lod,
		.borderColor = j->border,
		.unnormalizedCoordinates = j->pixel,
	};
	VkSampler sampler;
	CHECK(vkCreateSampler(device, &si, NULL, &sampler));

	VkDescriptorType type =
		j->storage ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
	VkDescriptorSetLayoutBinding bindings[3] = {
		{0, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
		{1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
		{2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
	};
	VkDescriptorSetLayoutCreateInfo li = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 3, .pBindings = bindings};
	VkDescriptorSetLayout set_layout;
	CHECK(vkCreateDescriptorSetLayout(device, &li, NULL, &set_layout));
	VkPipelineLayoutCreateInfo pli = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
	VkPipelineLayout layout;
	CHECK(vkCreatePipelineLayout(device, &pli, NULL, &layout));
	VkShaderModule module = load_shader(path);
	VkComputePipelineCreateInfo ci = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = module,
			  .pName = "main"},
		.layout = layout,
	};
	VkPipeline pipeline;
	CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &ci, NULL, &pipeline));
	VkDescriptorPoolSize sizes[2] = {{type, 1}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}};
	VkDescriptorPoolCreateInfo dpi = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
	VkDescriptorPool descriptors;
	CHECK(vkCreateDescriptorPool(device, &dpi, NULL, &descriptors));
	VkDescriptorSetAllocateInfo dai = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = descriptors,
		.descriptorSetCount = 1,
		.pSetLayouts = &set_layout,
	};
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device, &dai, &set));
	VkImageLayout used = j->storage ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
	VkDescriptorImageInfo image_info = {sampler, view, used};
	VkDescriptorBufferInfo in_info = {in.buffer, 0, VK_WHOLE_SIZE}, out_info = {out.buffer, 0, VK_WHOLE_SIZE};
	VkWriteDescriptorSet writes[3] = {
		{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, 0, 0, 1, type, &image_info, NULL, NULL},
		{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, 1, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, NULL, &in_info,
		 NULL},
		{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, 2, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, NULL, &out_info,
		 NULL},
	};
	vkUpdateDescriptorSets(device, 3, writes, 0, NULL);

	VkCommandBufferAllocateInfo cai = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
	VkCommandBuffer c;
	CHECK(vkAllocateCommandBuffers(device, &cai, &c));
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	CHECK(vkBeginCommandBuffer(c, &begin));
	VkBufferImageCopy copies[16];
	if (regions(j, copies) != j->data) {
		fprintf(stderr, "the image has %u bytes\n", j->data);
		exit(1);
	}
	barrier(c, image, j, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	vkCmdCopyBufferToImage(c, staging.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, j->levels, copies);
	barrier(c, image, j, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, used);
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
	vkCmdDispatch(c, j->threads / 32, 1, 1);
	if (j->storage) {
		barrier(c, image, j, used, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
		vkCmdCopyImageToBuffer(c, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, staging.buffer, j->levels, copies);
	}
	CHECK(vkEndCommandBuffer(c));
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queue));
	fwrite(out.bytes, 16, j->threads, stdout);
	if (j->storage)
		fwrite(staging.bytes, 1, j->data, stdout);

	vkFreeCommandBuffers(device, pool, 1, &c);
	vkDestroyDescriptorPool(device, descriptors, NULL);
	vkDestroyPipeline(device, pipeline, NULL);
	vkDestroyShaderModule(device, module, NULL);
	vkDestroyPipelineLayout(device, layout, NULL);
	vkDestroyDescriptorSetLayout(device, set_layout, NULL);
	vkDestroySampler(device, sampler, NULL);
	vkDestroyImageView(device, view, NULL);
	vkDestroyImage(device, image, NULL);
	vkFreeMemory(device, memory, NULL);
	free_buffer(staging);
	free_buffer(in);
	free_buffer(out);
}

int main(void) {
	open_device();
	struct job j;
	while (fread(&j, sizeof j, 1, stdin) == 1) {
		char path[4096] = {0};
		if (j.path >= sizeof path)
			return 1;
		input(path, j.path);
		char *data = malloc(j.data), *threads = malloc(32 * (size_t)j.threads);
		input(data, j.data);
		input(threads, 32 * (size_t)j.threads);
		uint32_t able = can(&j);
		fwrite(&able, 4, 1, stdout);
		if (able)
			run(&j, path, data, threads);
		fflush(stdout);
		free(data);
		free(threads);
	}
	return 0;
}
